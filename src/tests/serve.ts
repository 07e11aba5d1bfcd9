/** A static file server for a built site, as plain as a web host: folders serve their `index.html`, else `404.html`. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".csv": "text/csv; charset=utf-8",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
  ".gz": "application/gzip",
};

export interface Site {
  /** Address of the site's root, base included, with a slash at the end. */
  readonly root: string;
  readonly origin: string;
  close(): Promise<void>;
}

/** The file that answers `path`, or none. */
function fileFor(folder: string, path: string): string | undefined {
  const file = normalize(join(folder, path));
  if (!file.startsWith(folder) || !existsSync(file)) return undefined;
  if (!statSync(file).isDirectory()) return file;
  const index = join(file, "index.html");
  return path.endsWith("/") && existsSync(index) ? index : undefined;
}

export async function serve(folder: string, base = "/"): Promise<Site> {
  const server: Server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
    const file = path.startsWith(base) ? fileFor(folder, `/${path.slice(base.length)}`) : undefined;
    const shown = file ?? join(folder, "404.html");
    response.writeHead(file ? 200 : 404, {
      "Content-Type": types[extname(shown)] ?? "application/octet-stream",
    });
    response.end(readFileSync(shown));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    root: `${origin}${base}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
