/**
 * Where results lie in the checkout and at which addresses the site serves them. The two trees have the same shape,
 * so an address can be read off a path and stays the same as long as the file does.
 */
import { resolve } from "node:path";

/** Folder of the pages and of `evaluation/{data,figures,summary}`. */
export const contentFolder = resolve(process.env.DAYBOOK_CONTENT ?? "content");

export const summaryFile = (study: string): string => `${contentFolder}/evaluation/summary/${study}.json`;
export const changesFile = (study: string): string =>
  `${contentFolder}/evaluation/summary/${study}.changes.json`;
export const columnsFile = `${contentFolder}/evaluation/columns.json`;
export const figureFile = (study: string, path: string): string =>
  `${contentFolder}/evaluation/figures/${study}/${path}`;

/** Addresses below the site's base, without a leading slash. */
export const figureAddress = (study: string, path: string): string => `evaluation/figures/${study}/${path}`;
export const tableAddress = (study: string, run: string, table: string): string =>
  `evaluation/data/${study}/${run}/${table}.csv.gz`;
export const summaryAddress = (study: string): string => `evaluation/summary/${study}.json`;
