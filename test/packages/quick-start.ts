import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const START = join(import.meta.dirname, '..', '..', 'docs', 'start');
/** A block of shell; or a file, named in the sentence before it. */
const BLOCK = /(?:Save this as `([^`]+)`:\n\n)?```(\w+)\n(.*?)```/gs;

export interface QuickStart {
  /** In the order of the page. */
  shell: readonly string[];
  files: ReadonlyMap<string, string>;
}

/** What a page of docs/start asks its reader to do; every address in it gets the ports that are given. */
export function readQuickStart(name: string, ports: Readonly<Record<string, number>>): QuickStart {
  let text = readFileSync(join(START, name), 'utf8');
  for (const [port, own] of Object.entries(ports)) text = text.replaceAll(port, String(own));
  const blocks = [...text.matchAll(BLOCK)];
  return {
    shell: blocks.filter(([, , language]) => language === 'sh').map(([, , , block]) => (block ?? '').trim()),
    files: new Map(blocks.flatMap(([, file, , block]) => (file === undefined ? [] : [[file, block ?? '']]))),
  };
}
