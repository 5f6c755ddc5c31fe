/** Searches every file of the data directory for a text, as an attacker with the disk would. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Where the text was found, as file and count. The search covers clear text and the three ways in which base64 may
 * contain it.
 */
export function tracesOf(directory: string, text: string): string[] {
  const needles = [Buffer.from(text), ...[0, 1, 2].map((offset) => insideBase64(text, offset))];
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((file) => statSync(file).isFile())
    .flatMap((file) => {
      const bytes = readFileSync(file);
      const count = needles.reduce((sum, needle) => sum + countOf(bytes, needle), 0);
      return count > 0 ? [`${file.slice(directory.length + 1)}: ${count}`] : [];
    });
}

/**
 * The characters that represent the text in base64url after `offset` other bytes, whatever those bytes and the
 * following ones are.
 */
function insideBase64(text: string, offset: number): Buffer {
  const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]).toString('base64url');
  const whole = Math.floor((offset + Buffer.byteLength(text)) / 3) * 4;
  return Buffer.from(encoded.slice(offset === 0 ? 0 : 4, whole));
}

function countOf(bytes: Buffer, needle: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) count += 1;
  return count;
}
