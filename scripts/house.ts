/** Prints the size of the code's rooms and their dependencies: `npm run house`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { printTable } from '../bench/table.ts';
import { type House, surveyHouse } from './house/survey.ts';
import { readFlags, refuse } from './read-flags.ts';

const HERE = join(import.meta.dirname, '..');

const { values, positionals } = readFlags({
  options: { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } },
  allowPositionals: true,
});
const [root = HERE] = positionals;

if (values.help) {
  console.log(`Usage: npm run house -- [--json] [CHECKOUT]

Prints files and lines of code by package and room, without tests, comments and empty
lines. Also prints which rooms of the gate import one that comes later in
test/rooms-in-order.ts, circles of rooms and of files, and small files with one importer.
CHECKOUT: another checkout to measure, with the same order of rooms.`);
} else if (!existsSync(join(root, 'packages'))) {
  refuse(`there is no ${join(root, 'packages')}`);
} else if (values.json) {
  console.log(JSON.stringify(surveyHouse(root), null, 2));
} else {
  printHouse(surveyHouse(root));
}

function printHouse({ rooms, gate, circlesOfRooms, circlesOfFiles, smallFiles }: House): void {
  printTable(
    'Code',
    ['', 'files', 'lines'],
    rooms.map(({ room, files, lines }) => [
      room.includes('/src') ? `  ${shortened(room)}` : room,
      String(files),
      String(lines),
    ]),
  );
  printTable(
    'The gate',
    ['rooms', 'arrows', 'against the order', 'exceptions'],
    [[gate.rooms, gate.arrows, gate.against.length, gate.exceptions.length].map(String)],
  );
  const isException = ([from, to]: readonly [string, string]) =>
    gate.exceptions.some((known) => known.from === from && known.to === to);
  printList(
    'Arrows against the order',
    gate.against.map((arrow) => `${arrow.join(' > ')}${isException(arrow) ? ' (exception)' : ''}`),
  );
  printList('Circles of rooms, by imports of more than types', circlesOfRooms.map(toLine));
  printList('Circles of files, by imports of any kind', circlesOfFiles.map(toLine));
  printList(
    'Files of fewer than 25 lines with one importer',
    smallFiles.map(({ file, lines, importer }) => `${lines} ${shortened(file)} < ${shortened(importer)}`),
  );
}

function printList(title: string, lines: readonly string[]): void {
  console.log([`\n${title}: ${lines.length}`, ...lines].join('\n  '));
}

function toLine(circle: readonly string[]): string {
  return `${circle.length}: ${circle.map(shortened).join(' ')}`;
}

function shortened(path: string): string {
  return path.replace(/^packages\//, '').replace('/src', '');
}
