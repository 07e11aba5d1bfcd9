/** The script of every page: each part finds its own elements and leaves the page alone where there are none. */
import "./theme.ts";
import "./search.ts";
import "./copy.ts";
import "./reading.ts";
import "./interactive.ts";
