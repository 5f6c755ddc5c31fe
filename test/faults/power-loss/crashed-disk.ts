/**
 * The possible contents of a disk after a power failure, derived from its journal up to a moment.
 *
 * Everything covered by a sync is there. Each later write of a file may be there completely, partly by sectors, or not
 * at all. Names that were created, changed or removed since the last sync of their folder may be there or not, in the
 * order of events. POSIX promises that much, and most file systems keep more.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Random } from '../random.ts';
import type { JournalRecord } from './journal.ts';

const SECTOR = 512;

/** What happens to writes that no sync covered. */
export const FATES = ['none', 'all', 'first', 'some', 'torn'] as const;
export type Fate = (typeof FATES)[number];

type Change = { offset: number; data: Buffer } | { length: number };

/** A file or folder, whatever its name. */
class Node {
  readonly isFolder: boolean;
  /** The content after the last sync. */
  durable: Buffer = Buffer.alloc(0);
  /** Later changes, in order. */
  pending: Change[] = [];

  constructor(isFolder: boolean) {
    this.isFolder = isFolder;
  }
}

type Naming = { folder: string; from: string | null; to: string | null; node: Node };

interface Sync {
  node: Node | undefined;
  /** What the sync covers: the changes of the file, or the names of the folder, that existed when the sync began. */
  covered: readonly (Change | Naming)[];
}

export class CrashedDisk {
  readonly #root: string;
  /** The current names, and the names that are certain to exist after a power failure. */
  readonly #names = new Map<string, Node>();
  readonly #durableNames = new Map<string, Node>();
  #namings: Naming[] = [];
  readonly #syncs = new Map<number, Sync>();

  constructor(root: string) {
    this.#root = root;
    this.#names.set(root, new Node(true));
    this.#durableNames.set(root, new Node(true));
  }

  apply(record: JournalRecord): void {
    const { operation, path } = record;
    if (operation === 'write') this.#change(path, { offset: record.offset, data: record.data });
    else if (operation === 'truncate') this.#change(path, { length: record.offset });
    else if (operation === 'rename') this.#move(path, record.other);
    else if (operation === 'unlink') this.#move(path, null);
    else if (operation === 'sync begun') this.#begin(record);
    else if (operation === 'sync done') this.#finish(record.ticket);
    else if (operation !== 'mark')
      this.#name({ from: null, to: path, node: new Node(operation === 'mkdir') });
  }

  /** Writes one of the possible states of the disk below `folder`. */
  writeTo(folder: string, fate: Fate, random: Random): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const names = this.#namesAfter(fate, random);
    for (const [path, node] of [...names].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const place = join(folder, relative(this.#root, path));
      if (node.isFolder) mkdirSync(place, { recursive: true, mode: 0o700 });
      // A file whose folder is missing is lost.
      else if (names.has(dirname(path)))
        writeFileSync(place, contentAfter(node, fate, random), { mode: 0o600 });
    }
  }

  #change(path: string, change: Change): void {
    this.#names.get(path)?.pending.push(change);
  }

  #move(from: string, to: string | null): void {
    const node = this.#names.get(from);
    if (node) this.#name({ from, to, node });
  }

  #name({ from, to, node }: Omit<Naming, 'folder'>): void {
    const naming = { folder: dirname(to ?? from ?? ''), from, to, node };
    this.#namings.push(naming);
    rename(this.#names, naming);
  }

  #begin({ path, ticket }: JournalRecord): void {
    const node = this.#names.get(path);
    const covered = node?.isFolder
      ? this.#namings.filter(({ folder }) => folder === path)
      : [...(node?.pending ?? [])];
    this.#syncs.set(ticket, { node, covered });
  }

  #finish(ticket: number): void {
    const sync = this.#syncs.get(ticket);
    this.#syncs.delete(ticket);
    if (!sync?.node) return;
    const covered = new Set<unknown>(sync.covered);
    if (sync.node.isFolder) {
      for (const naming of this.#namings) if (covered.has(naming)) rename(this.#durableNames, naming);
      this.#namings = this.#namings.filter((naming) => !covered.has(naming));
      return;
    }
    sync.node.durable = applied(
      sync.node.durable,
      sync.node.pending.filter((change) => covered.has(change)),
    );
    sync.node.pending = sync.node.pending.filter((change) => !covered.has(change));
  }

  #namesAfter(fate: Fate, random: Random): Map<string, Node> {
    const names = new Map(this.#durableNames);
    const kept =
      fate === 'none' ? 0 : fate === 'all' ? this.#namings.length : random.between(0, this.#namings.length);
    for (const naming of this.#namings.slice(0, kept)) rename(names, naming);
    return names;
  }
}

function rename(names: Map<string, Node>, { from, to, node }: Naming): void {
  if (from !== null) names.delete(from);
  if (to !== null) names.set(to, node);
}

function contentAfter({ durable, pending }: Node, fate: Fate, random: Random): Buffer {
  if (fate === 'none') return durable;
  if (fate === 'all') return applied(durable, pending);
  if (fate === 'first') return applied(durable, pending.slice(0, random.between(0, pending.length)));
  const kept = pending.filter(() => random.chance(0.5));
  if (fate === 'some') return applied(durable, kept);
  return applied(
    durable,
    kept.flatMap((change) => ('data' in change ? sectorsOf(change.offset, change.data, random) : [change])),
  );
}

/** A random half of the sectors of a write. */
function sectorsOf(offset: number, data: Buffer, random: Random): Change[] {
  const sectors: Change[] = [];
  for (let at = 0; at < data.length; ) {
    const end = Math.min(data.length, at + SECTOR - ((offset + at) % SECTOR));
    if (random.chance(0.5)) sectors.push({ offset: offset + at, data: data.subarray(at, end) });
    at = end;
  }
  return sectors;
}

function applied(content: Buffer, changes: readonly Change[]): Buffer {
  let length = content.length;
  const most = Math.max(
    length,
    ...changes.map((change) => ('data' in change ? change.offset + change.data.length : change.length)),
  );
  const result = Buffer.alloc(most);
  content.copy(result);
  for (const change of changes) {
    if ('data' in change) {
      change.data.copy(result, change.offset);
      length = Math.max(length, change.offset + change.data.length);
    } else {
      // Truncated data is gone, even if the file grows again.
      if (change.length < length) result.fill(0, change.length, length);
      length = change.length;
    }
  }
  return result.subarray(0, length);
}
