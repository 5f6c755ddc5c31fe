/** docs/security.md names the defences and tests of each threat. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AISVS, AISVS_IDS } from '../attack/aisvs.ts';
import { isRunnable } from '../attack/attack-case.ts';
import { CATALOGUE } from '../attack/catalogue.ts';
import { THREAT_IDS } from '../attack/threats.ts';

const ROOT = join(import.meta.dirname, '..');
const DOCUMENT = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

function sectionOf(threat: string): { title: string; defence: string; tests: string; attacks: string } {
  const [, title = '', body = ''] =
    new RegExp(`\\n### ${threat}\\. (.*)\\n([\\s\\S]*?)(?=\\n##)`).exec(DOCUMENT) ?? [];
  const part = (name: string) =>
    new RegExp(`(?:^|\\n)${name}: ([\\s\\S]*?)(?=\\n\\n|\\nTests:|\\nAttacks:|$)`).exec(body)?.[1] ?? '';
  return { title, defence: part('Defence'), tests: part('Tests'), attacks: part('Attacks') };
}

const quoted = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');
const isPath = (name: string): boolean => name.includes('/') && existsSync(join(ROOT, name));

describe.each(THREAT_IDS)('threat %s', (threat) => {
  const section = sectionOf(threat);

  test('has a title and a readable defence', () => {
    expect(section.title).not.toBe('');
    const paths = quoted(section.defence).filter((name) => name.startsWith('packages/'));
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((name) => !isPath(name))).toEqual([]);
  });

  test('has a test', () => {
    const files = quoted(section.tests).filter((name) => name.includes('/'));
    expect(files.filter((name) => name.endsWith('.test.ts')).length).toBeGreaterThan(0);
    expect(files.filter((name) => !isPath(name))).toEqual([]);
  });

  test('has exactly the attacks of the tool that are filed under it', () => {
    const filed = CATALOGUE.filter(({ threats: [first] }) => first === threat).map(({ id }) => id as string);
    expect(filed.length).toBeGreaterThan(0);
    expect(quoted(section.attacks)).toEqual(filed);
  });
});

describe('the catalogue of attacks', () => {
  test('has unique ids that include their threat', () => {
    const ids = CATALOGUE.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, threats } of CATALOGUE) expect(id).toMatch(new RegExp(`^T0?${threats[0]}-[a-z-]+$`));
  });

  test('covers every requirement of the gate, and no other', () => {
    for (const id of AISVS_IDS) {
      const tried = CATALOGUE.some((entry) => isRunnable(entry) && entry.aisvs.includes(id));
      expect(tried, id).toBe(AISVS[id].whose !== 'elsewhere');
    }
  });

  test('is counted correctly in the document', () => {
    const count = (whose: string) => AISVS_IDS.filter((id) => AISVS[id].whose === whose).length;
    const said =
      /each of its (\d+) requirements[^:]*: (\d+) the gate's own, (\d+) to which [^,]*, and (\d+) that/.exec(
        DOCUMENT.replaceAll(/\s+/g, ' '),
      );
    expect(said?.slice(1).map(Number)).toEqual([
      AISVS_IDS.length,
      count('gate'),
      count('part'),
      count('elsewhere'),
    ]);
  });
});

/**
 * The files that open connections, and to what: an operator's own server, or a target that people name, behind a guard
 * (threat 15).
 */
const OPENS_CONNECTIONS = [
  // To the SMTP server of the operator's settings.
  'packages/server/src/outgoing/mail/mailer.ts',
  // To targets that people name, through the one guarded client, which checks every address.
  'packages/server/src/outgoing/outgoing.ts',
  // To the OpenID issuers of the operator's settings, which may be in the operator's own network.
  'packages/server/src/people/oidc/oidc-providers.ts',
  // Opens no connections, but provides `node:http` to the files that may.
  'packages/server/src/runtime/node-http.ts',
  // To the database of the operator's settings, to check whether it answers.
  'packages/server/src/storage/postgres/connections/pulse.ts',
];

/** Threat 15: code that never connects reaches no private network, and the rest goes through one guarded client. */
test('only the listed parts of the server open connections', () => {
  const sources = globSync('packages/server/src/**/*.ts', { cwd: ROOT }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  expect(sources.length).toBeGreaterThan(200);
  const opening = sources.filter((file) =>
    /(?<![.\w])fetch\(|\b(http|https|net|tls|dgram)\.(request|get|connect|createSocket)\b(?!\.)|import \{[^}]*\b(connect|request|createConnection|createSocket)\b[^}]*\} from 'node:(http|https|http2|net|tls|dgram)'|(from |import\()'(undici|nodemailer|openid-client)'|getBuiltinModule|\bsendNotification\(/.test(
      readFileSync(join(ROOT, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''),
    ),
  );
  expect(opening.sort()).toEqual(OPENS_CONNECTIONS);
});
