/** Rooms, the imports between them (arrows), and the cycles that these form (circles). */
import { dirname } from 'node:path';
import { importsOf } from './imports.ts';

/** From each file, or room, to the files or rooms that it imports. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;
export type Arrow = readonly [from: string, to: string];

const GATE = 'packages/server/src/gate/';

/**
 * The folder that is the file's room: the first folder below `src`. In the server, whose rooms contain rooms, the
 * second.
 */
export function roomOf(file: string): string {
  const depth = file.startsWith('packages/server/') ? 5 : 4;
  return dirname(file).split('/').slice(0, depth).join('/');
}

/**
 * The file's room by its name in the gate's order. `.` for a file outside every room, undefined for a file outside the
 * gate.
 */
export function roomOfGate(file: string): string | undefined {
  return file.startsWith(GATE) ? roomOf(file).slice(GATE.length) || '.' : undefined;
}

/** Imports between the files. `values`: leaves out imports of types only. */
export function graphOf(
  root: string,
  files: readonly string[],
  { values = false }: { values?: boolean } = {},
): Graph {
  const known = new Set(files);
  return new Map(
    files.map((file) => [
      file,
      new Set(
        importsOf(root, file)
          .filter(({ typeOnly }) => !(values && typeOnly))
          .flatMap((found) => found.file ?? [])
          .filter((target) => known.has(target)),
      ),
    ]),
  );
}

/** Imports between rooms. Files without a room are left out. */
export function betweenRooms(files: Graph, room: (file: string) => string | undefined): Graph {
  const rooms = new Map<string, Set<string>>();
  for (const [file, targets] of files) {
    const from = room(file);
    if (from === undefined) continue;
    const reached = rooms.get(from) ?? new Set();
    rooms.set(from, reached);
    for (const to of [...targets].map(room)) if (to !== undefined && to !== from) reached.add(to);
  }
  return rooms;
}

export function arrowsOf(graph: Graph): Arrow[] {
  return [...graph].flatMap(([from, targets]) => [...targets].map((to) => [from, to] as const)).sort();
}

/** Arrows to a room that comes later in the order, or is not in it. */
export function arrowsAgainst(order: readonly string[], arrows: readonly Arrow[]): Arrow[] {
  const positionOf = (room: string) => (order.includes(room) ? order.indexOf(room) : order.length);
  return arrows.filter(([from, to]) => positionOf(to) >= positionOf(from));
}

/** Sets of two or more rooms that all reach each other, largest first. */
export function circlesOf(graph: Graph): string[][] {
  const reach = new Map([...graph.keys()].map((start) => [start, reachedFrom(graph, start)]));
  const circles = new Map<string, string[]>();
  for (const [from, reached] of reach) {
    if (!reached.has(from)) continue;
    const circle = [...reached].filter((to) => reach.get(to)?.has(from)).sort();
    circles.set(circle.join(' '), circle);
  }
  return [...circles.values()].sort((a, b) => b.length - a.length);
}

function reachedFrom(graph: Graph, start: string): Set<string> {
  const reached = new Set<string>();
  const next = [...(graph.get(start) ?? [])];
  for (let node = next.pop(); node !== undefined; node = next.pop()) {
    if (reached.has(node)) continue;
    reached.add(node);
    next.push(...(graph.get(node) ?? []));
  }
  return reached;
}
