import { createInterface } from 'node:readline/promises';
import type { OpenGate } from '@permitry/server';
import { type Command, Option } from 'commander';
import { chooseProject } from '../at-project.ts';
import { refused, usage } from '../command-failure.ts';
import { type AdminFlags, adminCommand, examples } from '../command-options.ts';
import { wholeNumber } from '../input/parse-argument.ts';
import { OPERATOR, withDatabase, withGate } from '../open-gate.ts';
import { printJson, printTable } from '../printing/print.ts';
import { counted, shortTime } from '../printing/say.ts';

export function addEraseCommand(program: Command): void {
  adminCommand(program, 'erase', 'erase texts about people for good')
    .description(
      'Erase texts about people for good: of one request, of one person, or of everything older than a number of days. Hashes, IDs and times stay, so permits, receipts and the audit log still verify. Backups are not changed.',
    )
    .addOption(new Option('--intent <id>', 'all texts of this request').conflicts(['person', 'olderThan']))
    .addOption(
      new Option(
        '--person <email|id>',
        'everything that names this person, who must have left the project',
      ).conflicts('olderThan'),
    )
    .addOption(
      new Option('--older-than <days>', 'all texts older than this number of days').argParser(
        wholeNumber(1, 36_500),
      ),
    )
    .option(
      '--finish',
      'rewrite the database files so that they no longer hold erased texts; alone or with an erasure (docs/retention.md)',
    )
    .addOption(
      new Option('--unfinished', 'list erasures whose texts may still be in the database files').conflicts([
        'intent',
        'person',
        'olderThan',
        'finish',
        'project',
      ]),
    )
    .option('-y, --yes', 'do not ask for confirmation; required without a terminal')
    .addHelpText(
      'after',
      examples(
        'permitry erase --person ann@example.org',
        'permitry erase --older-than 365 --yes',
        'permitry erase --finish',
      ),
    )
    .action(erase);
}

type EraseFlags = AdminFlags & {
  intent?: string;
  person?: string;
  olderThan?: number;
  finish?: true;
  unfinished?: true;
  yes?: true;
};

/** Counts as the API returns them. Counts that do not apply are omitted. */
interface Erased {
  intents: number;
  records: number;
  answers?: number;
  files: 'cleared' | 'pending';
  remaining_intents?: number;
  remaining_policies?: number;
}

async function erase(flags: EraseFlags): Promise<void> {
  if (flags.unfinished) return listUnfinished(flags);
  if (flags.finish && !hasSubject(flags)) return finish(flags);
  const subject = subjectOf(flags);
  const erased = await withGate(flags, async ({ gate }, server) => {
    const project = chooseProject(await server.listProjects(gate, OPERATOR), flags.project);
    await assertMeant(`Erase ${subject} in project "${project.name}" for good?`, flags);
    return eraseIn(gate, project.id, flags, server);
  });
  if (!flags.json) process.stdout.write(tellErased(erased));
  if (flags.finish) await finishIn(flags);
  const files = flags.finish ? 'cleared' : erased.files;
  if (flags.json) return printJson({ ...erased, files });
  if (files === 'pending') process.stdout.write(PENDING);
}

const PENDING =
  'Unfinished: the database files may still hold these texts. Run permitry erase --finish (docs/retention.md).\n';

async function finish(flags: EraseFlags): Promise<void> {
  const finished = await finishIn(flags);
  if (flags.json) return printJson({ finished });
  process.stdout.write(
    finished === 0 ? `${NONE_UNFINISHED}\n` : `Finished: ${counted(finished, 'erasure')}.\n`,
  );
}

const NONE_UNFINISHED = 'No erasure is unfinished.';

function finishIn(flags: EraseFlags): Promise<number> {
  return withDatabase(flags, (database, { finishErasuresOf }) =>
    finishErasuresOf(database, (table) => process.stderr.write(`Rewriting ${table}\n`)),
  );
}

async function listUnfinished(flags: EraseFlags): Promise<void> {
  const unfinished = await withDatabase(flags, (database, { listUnfinishedErasuresOf }) =>
    listUnfinishedErasuresOf(database),
  );
  if (flags.json) {
    return printJson(
      unfinished.map(({ projectId, subject, subjectId, since }) => ({
        project_id: projectId,
        subject,
        subject_id: subjectId,
        since,
      })),
    );
  }
  printTable(
    unfinished,
    [
      { title: 'SINCE', text: ({ since }) => shortTime(since) },
      { title: 'PROJECT', text: ({ projectId }) => projectId },
      { title: 'SUBJECT', text: ({ subject }) => subject },
      { title: 'ID', text: ({ subjectId }) => subjectId ?? '-' },
    ],
    NONE_UNFINISHED,
  );
}

function tellErased(erased: Erased): string {
  const answers = erased.answers === undefined ? '' : `, ${counted(erased.answers, 'remembered answer')}`;
  return `Erased: texts of ${counted(erased.intents, 'request')}, ${counted(erased.records, 'audit record')}${answers}.\n${tellRemaining(erased)}`;
}

function hasSubject({ intent, person, olderThan }: EraseFlags): boolean {
  return intent !== undefined || person !== undefined || olderThan !== undefined;
}

function subjectOf({ intent, person, olderThan }: EraseFlags): string {
  if (intent !== undefined) return `all texts of request ${intent}`;
  if (person !== undefined) return `everything that names ${person}`;
  if (olderThan !== undefined) return `all texts older than ${counted(olderThan, 'day')}`;
  throw usage('Pass what to erase: --intent, --person or --older-than; or --finish.');
}

async function assertMeant(question: string, { yes }: EraseFlags): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw usage('No terminal to confirm; pass --yes. Nothing was erased. Erased texts cannot be restored.');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `).catch((error: unknown) => {
    // Ctrl-C, or Ctrl-D.
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    process.stderr.write('\n');
    return '';
  });
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw refused('Nothing was erased.');
}

async function eraseIn(
  gate: OpenGate['gate'],
  projectId: string,
  flags: EraseFlags,
  { eraseAged, eraseIntent, erasePerson }: typeof import('@permitry/server'),
): Promise<Erased> {
  const { intent: intentId, person, olderThan: days = 0 } = flags;
  if (intentId !== undefined) return eraseIntent(gate, OPERATOR, { projectId, intentId });
  if (person === undefined) return eraseAged(gate, OPERATOR, { projectId, days });
  const { remainingIntents, remainingPolicies, ...erased } = await erasePerson(gate, OPERATOR, {
    projectId,
    person,
  });
  return { ...erased, remaining_intents: remainingIntents, remaining_policies: remainingPolicies };
}

function tellRemaining({ remaining_intents: intents = 0, remaining_policies: policies = 0 }: Erased): string {
  return [
    intents > 0 &&
      `Still named in ${counted(intents, 'open request')} (pending, or with an unused permit). Run the same command again later.\n`,
    policies > 0 &&
      `Still named in ${counted(policies, 'policy version')}, which stay because permits and audit records depend on them.\n`,
  ]
    .filter(Boolean)
    .join('');
}
