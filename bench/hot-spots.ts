/**
 * `npm run bench:hot-spots -- PROFILE [--top 25]`: where a CPU profile says the time went, by function and by file, as
 * text. PROFILE is a .cpuprofile, or a directory, whose newest profile is used.
 *
 * Shares are of the time when the process was busy. Self: in the function's own code, and in native code that V8 counts
 * towards it. Total: in the function or in functions that it called.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFlags, refuse } from '../scripts/read-flags.ts';
import { printTable } from './table.ts';

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
  children?: number[];
}

interface Profile {
  nodes: ProfileNode[];
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

const ROOT = join(import.meta.dirname, '..');
const IDLE = '(idle)';

/** Path below the workspace. For a library, the path from the library's name on. */
function toFile(url: string): string {
  if (!url.startsWith('file:')) return url;
  const path = fileURLToPath(url).replace(`${ROOT}/`, '');
  const library = path.lastIndexOf('node_modules/');
  return library < 0 ? path : path.slice(library);
}

function nameOf({ functionName, url, lineNumber }: ProfileNode['callFrame']): string {
  const name = functionName || '(anonymous)';
  return url ? `${name}  ${toFile(url)}:${lineNumber + 1}` : name;
}

/** Each of V8's own names, e.g. `(garbage collector)`, counts as a separate file. */
function fileOf({ functionName, url }: ProfileNode['callFrame']): string {
  return url ? toFile(url) : functionName.startsWith('(') ? functionName : '(native)';
}

class Tally {
  readonly #micros = new Map<string, number>();

  add(name: string, micros: number): void {
    this.#micros.set(name, (this.#micros.get(name) ?? 0) + micros);
  }

  print(title: string, busy: number, top: number): void {
    const rows = [...this.#micros].sort(([, a], [, b]) => b - a).slice(0, top);
    printTable(
      title,
      ['', 'ms', '%'],
      rows.map(([name, micros]) => [name, (micros / 1000).toFixed(0), ((micros / busy) * 100).toFixed(1)]),
    );
  }
}

function printHotSpots({ nodes, samples, timeDeltas }: Profile, top: number): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)),
  );
  const selfMicros = new Map<number, number>();
  for (const [n, id] of samples.entries()) {
    selfMicros.set(id, (selfMicros.get(id) ?? 0) + (timeDeltas[n] ?? 0));
  }

  const self = new Tally();
  const total = new Tally();
  const files = new Tally();
  let busy = 0;
  let idle = 0;
  for (const [id, micros] of selfMicros) {
    const node = byId.get(id);
    if (!node) continue;
    if (node.callFrame.functionName === IDLE) {
      idle += micros;
      continue;
    }
    busy += micros;
    self.add(nameOf(node.callFrame), micros);
    files.add(fileOf(node.callFrame), micros);
    // Each name counts once, however deep it recurses.
    const names = new Set<string>();
    for (let up: ProfileNode | undefined = node; up; up = parents.get(up.id)) names.add(nameOf(up.callFrame));
    for (const name of names) if (name !== '(root)') total.add(name, micros);
  }

  console.log(`busy ${(busy / 1e6).toFixed(1)} s, idle ${(idle / 1e6).toFixed(1)} s`);
  self.print('Functions by their own time', busy, top);
  total.print('Functions by their total time, with what they called', busy, top);
  files.print('Files', busy, top);
}

function newestIn(directory: string): string {
  const profiles = readdirSync(directory)
    .filter((file) => file.endsWith('.cpuprofile'))
    .map((file) => join(directory, file))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  return profiles[0] ?? refuse(`there is no .cpuprofile in ${directory}`);
}

const { values, positionals } = readFlags({
  options: { top: { type: 'string', default: '25' }, help: { type: 'boolean', short: 'h', default: false } },
  allowPositionals: true,
});
const [given] = positionals;
if (values.help || given === undefined) {
  console.log('npm run bench:hot-spots -- PROFILE.cpuprofile (or a directory with some) [--top 25]');
  process.exit(values.help ? 0 : 2);
}
if (!existsSync(given)) refuse(`there is no ${given}`);
const file = statSync(given).isDirectory() ? newestIn(given) : given;
printHotSpots(JSON.parse(readFileSync(file, 'utf8')), Number(values.top));
