/**
 * Files the site hands out unchanged, at stable addresses: tables, figures, their specs and data, summaries, and the
 * style and fonts of typeset formulas.
 *
 * In a build they are copied beside the pages; in development they are served from where they lie.
 */
import {
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AstroIntegration } from "astro";
import { contentFolder } from "../evaluation/paths.ts";

/** Address of the stylesheet for formulas, below the base. */
export const katexAddress = "assets/katex/katex.min.css";

const resultFolders = ["data", "figures", "summary"];
const resultTypes: Readonly<Record<string, string>> = {
  ".gz": "application/gzip",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".csv": "text/csv; charset=utf-8",
  ".css": "text/css",
  ".woff2": "font/woff2",
};

/** Results below `content/evaluation`, as address and file. A reader's own comparison is not handed out. */
export function resultFiles(): { address: string; file: string }[] {
  return resultFolders.flatMap((folder) => {
    const from = join(contentFolder, "evaluation", folder);
    if (!existsSync(from)) return [];
    return readdirSync(from, { recursive: true, withFileTypes: true })
      .filter(
        (entry) =>
          entry.isFile() && extname(entry.name) in resultTypes && !entry.name.endsWith(".changes.json"),
      )
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => ({ address: file.slice(contentFolder.length + 1), file }));
  });
}

function katexFiles(): { address: string; content: () => Uint8Array | string }[] {
  const folder = dirname(createRequire(import.meta.url).resolve("katex/dist/katex.min.css"));
  const fonts = readdirSync(join(folder, "fonts")).filter((name) => name.endsWith(".woff2"));
  return [
    { address: katexAddress, content: () => woff2Only(readFileSync(join(folder, "katex.min.css"), "utf8")) },
    ...fonts.map((name) => ({
      address: `assets/katex/fonts/${name}`,
      content: () => readFileSync(join(folder, "fonts", name)),
    })),
  ];
}

/** Every browser that can show the site reads woff2; the older formats would be dead links. */
const woff2Only = (css: string): string =>
  css.replaceAll(/,url\([^)]*\.(?:woff|ttf)\) format\("[^"]*"\)/g, "");

export function servedFiles(): AstroIntegration {
  return {
    name: "daybook:served-files",
    hooks: {
      "astro:server:setup": ({ server }) => {
        server.middlewares.use((request, response, next) => {
          const address = decodeURIComponent((request.url ?? "").split("?")[0] ?? "").replace(/^\//, "");
          const file = resultFiles().find((known) => address.endsWith(known.address))?.file;
          const katexFile = katexFiles().find((known) => address.endsWith(known.address));
          const type = resultTypes[extname(address)];
          if (type !== undefined && (file ?? katexFile)) response.setHeader("Content-Type", type);
          if (file !== undefined) createReadStream(file).pipe(response);
          else if (katexFile !== undefined) response.end(katexFile.content());
          else next();
        });
      },
      "astro:build:done": ({ dir }) => {
        const out = fileURLToPath(dir);
        const place = (address: string): string => {
          const to = join(out, address);
          mkdirSync(dirname(to), { recursive: true });
          return to;
        };
        for (const { address, file } of resultFiles()) cpSync(file, place(address));
        for (const { address, content } of katexFiles()) writeFileSync(place(address), content());
      },
    },
  };
}
