/**
 * A browser for the tests: `CHROME_PATH`, else a system Chromium or Chrome, else the one inside @sparticuz/chromium,
 * which brings the system libraries it needs along (x64 only). `CHROME_PATH=packaged` asks for that one.
 */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const systemBrowsers = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

async function packagedBrowser(): Promise<string> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error("no browser found: install Chromium or Chrome, or set CHROME_PATH to one");
  }
  // Read when the package is loaded: makes it unpack the libraries that a bare system lacks.
  process.env.AWS_LAMBDA_JS_RUNTIME ??= "nodejs22.x";
  const { default: packaged } = await import("@sparticuz/chromium");
  return packaged.executablePath();
}

export async function launchBrowser(): Promise<Browser> {
  const named = process.env.CHROME_PATH;
  const packaged = named === "packaged";
  if (named && !packaged && !existsSync(named)) {
    throw new Error(`CHROME_PATH names ${named}, which does not exist`);
  }
  const system = packaged ? undefined : (named ?? systemBrowsers.find((candidate) => existsSync(candidate)));
  const executablePath = system ?? (await packagedBrowser());
  // The packaged one's own arguments would run everything in one process, which ends with the first context.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}
