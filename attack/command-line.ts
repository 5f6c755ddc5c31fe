import { parseArgs } from 'node:util';
import { UsageError } from './usage-error.ts';

export const HELP = `Attacks a running gate over HTTP, and reports what it withstood.

  npm run attack -- --prepare DIR                     a fresh gate to attack, with everybody in it; prints what to run next
  npm run attack -- --target URL --keys FILE          all cases that these keys allow
  npm run attack -- --list                            the cases, with what each takes

  --target URL        where the gate listens, e.g. http://localhost:8787
  --keys FILE         the credentials.json of a first start, or the attack-keys.json that --prepare writes
  --only ID,…         these cases, by id (T06-other-action) or by its beginning (T06)
  --report FILE       writes a report: .json, .md or .html; may be given several times
  --json              the report as JSON on stdout, and nothing else
  --quick             leaves out what waits for clocks (up to half a minute)
  --destructive       also what concerns a whole project: its policy and its stop switch, put back afterwards.
                      Projects marked disposable in the keys file do not need it.

Exit code 0: nothing failed. 1: something did. 2: the attack could not begin. docs/security.md explains the threats.
`;

export type Command =
  | { kind: 'help' }
  | { kind: 'list'; json: boolean; only: readonly string[] | undefined }
  | { kind: 'prepare'; directory: string }
  | {
      kind: 'attack';
      target: URL;
      keysFile: string;
      only: readonly string[] | undefined;
      reports: readonly string[];
      json: boolean;
      quick: boolean;
      destructive: boolean;
    };

const REPORT_FORMS = /\.(json|md|html)$/;

/** @throws UsageError */
export function parseCommandLine(args: readonly string[]): Command {
  const values = readFlags(args);
  if (values.help) return { kind: 'help' };
  const only = values.only?.flatMap((ids) => ids.split(',')).filter((id) => id !== '');
  if (values.list) return { kind: 'list', json: values.json === true, only };
  if (values.prepare !== undefined) return { kind: 'prepare', directory: values.prepare };
  if (values.target === undefined || values.keys === undefined)
    throw new UsageError(`An attack takes --target and --keys.\n\n${HELP}`);
  const reports = values.report ?? [];
  const strange = reports.filter((file) => !REPORT_FORMS.test(file));
  if (strange.length > 0)
    throw new UsageError(`A report ends in .json, .md or .html: ${strange.join(', ')} does not.`);
  return {
    kind: 'attack',
    target: toTarget(values.target),
    keysFile: values.keys,
    only,
    reports,
    json: values.json === true,
    quick: values.quick === true,
    destructive: values.destructive === true,
  };
}

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        target: { type: 'string' },
        keys: { type: 'string' },
        only: { type: 'string', multiple: true },
        report: { type: 'string', multiple: true },
        prepare: { type: 'string' },
        list: { type: 'boolean' },
        json: { type: 'boolean' },
        quick: { type: 'boolean' },
        destructive: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${HELP}`);
  }
}

function toTarget(text: string): URL {
  const target = URL.canParse(text) ? new URL(text) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol))
    throw new UsageError(`${text} is not an http or https address.`);
  return target;
}
