/**
 * `node scripts/write-look-alikes.ts FILE` writes packages/protocol/src/inert-text/look-alike-table.ts. FILE is a copy
 * of the confusables of UTS #39, from https://www.unicode.org/Public/security/latest/confusables.txt.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TABLE = join(import.meta.dirname, '../packages/protocol/src/inert-text/look-alike-table.ts');

const [file = ''] = process.argv.slice(2);
const text = readFileSync(file, 'utf8');
const [, version = ''] = /^# Version: (\S+)/m.exec(text) ?? [];
const [, copyright = ''] = /^# (© .*)$/m.exec(text) ?? [];

/** Look-alikes by the letter that they resemble. */
const byTarget = new Map<string, string[]>();
for (const [, source = '', target = ''] of text.matchAll(/^([0-9A-F]+) ;\t([0-9A-F]+) ;\tMA/gm)) {
  const [char, like] = [source, target].map((point) => String.fromCodePoint(Number.parseInt(point, 16)));
  if (char === undefined || like === undefined || !/^[A-Za-z]$/.test(like)) continue;
  // Takes only letters. Letters in another style are left out, because their compatibility form identifies them.
  if (!/^\p{L}$/u.test(char) || char.normalize('NFKC') === like || char < '\x80') continue;
  byTarget.set(like, [...(byTarget.get(like) ?? []), char]);
}

const lines = [...byTarget]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([like, chars]) => {
    const points = chars.map((char) => (char.codePointAt(0) ?? 0).toString(16)).sort();
    return `  ${like}: '${points.join(' ')}',`;
  });
writeFileSync(
  TABLE,
  `/**
 * Letters that are drawn like a Latin one, by code point: those of confusables.txt of UTS #39, version ${version}, whose target
 * is an ASCII letter. Made by scripts/write-look-alikes.ts; not edited by hand.
 *
 * ${copyright} Unicode License v3, https://www.unicode.org/license.txt.
 */
export const LOOK_ALIKE_TABLE: Readonly<Record<string, string>> = {
${lines.join('\n')}
};
`,
);
