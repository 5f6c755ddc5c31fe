import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const START = join(import.meta.dirname, '..', '..', 'docs', 'start');
/** Matches a block of shell, or a file whose name is in the sentence before it. */
const BLOCK = /(?:Save this as `([^`]+)`:\n\n)?```(\w+)\n(.*?)```/gs;

export interface QuickStart {
  /** The shell blocks in the order of the page. */
  shell: readonly string[];
  files: ReadonlyMap<string, string>;
}

/** The steps of a page in docs/start. Every address in it gets the given ports. */
export function readQuickStart(name: string, ports: Readonly<Record<string, number>>): QuickStart {
  let text = readFileSync(join(START, name), 'utf8');
  for (const [port, own] of Object.entries(ports)) text = text.replaceAll(port, String(own));
  const blocks = [...text.matchAll(BLOCK)];
  return {
    shell: blocks.filter(([, , language]) => language === 'sh').map(([, , , block]) => (block ?? '').trim()),
    files: new Map(blocks.flatMap(([, file, , block]) => (file === undefined ? [] : [[file, block ?? '']]))),
  };
}
