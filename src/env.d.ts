declare namespace App {
  interface Locals {
    /** The page being rendered; components read their study from it and name it in errors. */
    page?: import("./site/pages.ts").CurrentPage;
  }
}
