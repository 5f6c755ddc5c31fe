/** The figures of `npm run house`: the size of the rooms, and their dependencies. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXCEPTIONS, ROOMS_IN_ORDER } from '../../test/rooms-in-order.ts';
import { listSources } from './imports.ts';
import {
  type Arrow,
  arrowsAgainst,
  arrowsOf,
  betweenRooms,
  circlesOf,
  graphOf,
  roomOf,
  roomOfGate,
} from './rooms.ts';

const SMALL = 25;

export interface House {
  /** Packages and their rooms, in order of their names. */
  rooms: readonly { room: string; files: number; lines: number }[];
  gate: { rooms: number; arrows: number; against: readonly Arrow[]; exceptions: typeof EXCEPTIONS };
  /** Cycles formed by imports that include values. */
  circlesOfRooms: readonly (readonly string[])[];
  /** Cycles formed by imports of any kind. */
  circlesOfFiles: readonly (readonly string[])[];
  /** Files of fewer than 25 lines that only one other file imports. */
  smallFiles: readonly { file: string; lines: number; importer: string }[];
}

export function surveyHouse(root: string): House {
  const files = readdirSync(join(root, 'packages')).flatMap((name) =>
    listSources(root, `packages/${name}/src`),
  );
  const lines = new Map(files.map((file) => [file, countLines(readFileSync(join(root, file), 'utf8'))]));
  const all = graphOf(root, files);
  const gate = betweenRooms(all, roomOfGate);
  const arrows = arrowsOf(gate);
  return {
    rooms: sizesOf(lines),
    gate: {
      rooms: gate.size,
      arrows: arrows.length,
      against: arrowsAgainst(ROOMS_IN_ORDER, arrows),
      exceptions: EXCEPTIONS,
    },
    circlesOfRooms: circlesOf(betweenRooms(graphOf(root, files, { values: true }), roomOf)),
    circlesOfFiles: circlesOf(all),
    smallFiles: files.flatMap((file) => {
      const importers = files.filter((other) => all.get(other)?.has(file));
      const [importer = ''] = importers;
      const size = lines.get(file) ?? 0;
      return importers.length === 1 && size < SMALL ? [{ file, lines: size, importer }] : [];
    }),
  };
}

/** Lines of code, without empty ones and comments. */
function countLines(text: string): number {
  const code = text.replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, '');
  return code.split('\n').filter((line) => /^\s*(?!\/\/)\S/.test(line)).length;
}

function sizesOf(lines: ReadonlyMap<string, number>): House['rooms'] {
  const sizes = new Map<string, { files: number; lines: number }>();
  for (const [file, count] of lines) {
    const room = roomOf(file);
    const counted = [file.split('/', 2).join('/'), room];
    for (const name of counted) {
      const size = sizes.get(name) ?? { files: 0, lines: 0 };
      sizes.set(name, { files: size.files + 1, lines: size.lines + count });
    }
  }
  return [...sizes].map(([room, size]) => ({ room, ...size })).sort((a, b) => (a.room < b.room ? -1 : 1));
}
