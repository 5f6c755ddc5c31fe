import { type FieldProblem, getPolicy, parsePolicy, putPolicy } from '@permitry/server';
import type { Command } from 'commander';
import { type AdminFlags, adminCommand, examples, jsonOption } from '../command-options.ts';
import { findProject } from '../find-project.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { paint } from '../paint.ts';
import { type FileProblem, type PolicyFile, readPolicyFile } from '../policy-file/read-policy-file.ts';
import { printJson } from '../print-json.ts';

type PutFlags = AdminFlags & { ifMatch?: string };

export function addPolicyCommands(program: Command): void {
  const policy = program
    .command('policy')
    .summary('the rules of a project')
    .description('The rules of a project.');

  policy
    .command('check')
    .summary('check a policy file, offline')
    .description(
      'Checks a policy file, offline: its form, every expression, every pattern. Exit code 1 with each problem and its place.',
    )
    .argument('<file>', 'YAML or JSON; - for stdin')
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry policy check policy.yaml'))
    .action(check);

  adminCommand(policy, 'put', 'put a policy in force, from the next request on')
    .argument('<file>', 'YAML or JSON; - for stdin')
    .option('--if-match <hash>', 'only while this one is in force')
    .addHelpText('after', examples('permitry policy put policy.yaml --project Refunds'))
    .action(put);

  adminCommand(policy, 'show', 'print the policy in force as JSON')
    .addHelpText('after', examples('permitry policy show > policy.json'))
    .action(show);
}

interface Checked {
  problems: readonly FileProblem[];
  warnings: readonly FileProblem[];
  hash: string | null;
  rules: number;
}

function checkFile(read: PolicyFile): Checked {
  if (!read.ok) return { problems: read.problems, warnings: [], hash: null, rules: 0 };
  const parsed = parsePolicy(read.document);
  const placed = (found: readonly FieldProblem[]): FileProblem[] =>
    found
      .map(({ path, message }) => read.place(path, message))
      .toSorted((a, b) => a.line - b.line || a.column - b.column);
  if (!parsed.ok) return { problems: placed(parsed.problems), warnings: [], hash: null, rules: 0 };
  const { hash, document } = parsed.policy;
  const rules = Array.isArray(document.rules) ? document.rules.length : 0;
  return { problems: [], warnings: placed(parsed.warnings), hash, rules };
}

function check(file: string, flags: { json?: true }): void {
  const { problems, warnings, hash, rules } = checkFile(readPolicyFile(file));
  if (problems.length > 0) process.exitCode = 1;
  if (flags.json) {
    printJson({ valid: problems.length === 0, hash, problems, warnings });
    return;
  }
  printFindings(file, problems, warnings);
  if (hash !== null)
    process.stdout.write(
      `${paint('green', 'valid')}  ${file}: ${rules} ${rules === 1 ? 'rule' : 'rules'}, ${hash}\n`,
    );
}

async function put(file: string, flags: PutFlags): Promise<void> {
  const read = readPolicyFile(file);
  const { problems } = checkFile(read);
  if (!read.ok || problems.length > 0) {
    process.exitCode = 1;
    if (flags.json) return printJson({ valid: false, problems });
    return printFindings(file, problems, []);
  }
  const { policy, warnings } = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    return putPolicy(gate, OPERATOR, {
      projectId,
      document: read.document,
      ...(flags.ifMatch === undefined ? {} : { ifMatch: flags.ifMatch }),
    });
  });
  const placed = warnings.map(({ path, message }) => read.place(path, message));
  if (flags.json)
    return printJson({
      version: policy.version,
      hash: policy.hash,
      created_at: policy.createdAt,
      warnings: placed,
    });
  printFindings(file, [], placed);
  process.stdout.write(`Version ${policy.version} is in force: ${policy.hash}\n`);
}

async function show(flags: AdminFlags): Promise<void> {
  const policy = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    return getPolicy(gate, OPERATOR, { projectId });
  });
  if (!flags.json)
    process.stderr.write(`Version ${policy.version}, ${policy.hash}, by ${policy.createdBy}\n`);
  printJson(
    flags.json
      ? {
          version: policy.version,
          hash: policy.hash,
          policy: policy.document,
          created_at: policy.createdAt,
          created_by: policy.createdBy,
        }
      : policy.document,
  );
}

/** In the form that editors jump to: file:line:column. */
function printFindings(
  file: string,
  problems: readonly FileProblem[],
  warnings: readonly FileProblem[],
): void {
  const line = ({ line, column, path, message }: FileProblem, label: string): string =>
    `${paint('bold', `${file}:${line}:${column}`)} ${label}${path === '' ? '' : ` ${paint('dim', path)}`}\n  ${message}\n`;
  for (const problem of problems) process.stdout.write(line(problem, paint('red', 'error')));
  for (const warning of warnings) process.stdout.write(line(warning, paint('yellow', 'warning')));
}
