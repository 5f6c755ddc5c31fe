import {
  GateError,
  getShadow,
  putPolicy,
  putShadow,
  readShadowDivergences,
  removeShadow,
  toWireDivergences,
} from '@permitry/server';
import { CommandFailure } from '../command-failure.ts';
import type { AdminFlags } from '../command-options.ts';
import { findProject } from '../find-project.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { printFindings } from '../policy-file/print-findings.ts';
import { readCheckedPolicy } from '../policy-file/read-checked-policy.ts';
import { counted } from '../printing/counted.ts';
import { printJson } from '../printing/print-json.ts';
import { printTable } from '../printing/print-table.ts';
import { shortTime } from '../printing/short-time.ts';
import { columnsOfDifference, said } from '../simulation/print-differences.ts';

export type ShadowFlags = AdminFlags & { ifMatch?: string };
export type DivergenceFlags = AdminFlags & { limit: number };

export async function set(file: string, flags: ShadowFlags): Promise<void> {
  const read = await readCheckedPolicy(file, flags);
  if (read === null) return;
  const { shadow, warnings } = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    return putShadow(gate, OPERATOR, { projectId, document: read.document, ...ifMatchOf(flags) });
  });
  const located = warnings.map(({ path, message }) => read.locate(path, message));
  if (flags.json) return printJson({ hash: shadow.hash, since: shadow.since, warnings: located });
  printFindings(file, [], located);
  process.stdout.write(
    `${shadow.hash} is asked beside the policy in force since ${shadow.since}.\nSee: permitry policy shadow divergences\n`,
  );
}

export async function show(flags: AdminFlags): Promise<void> {
  const { hash, document, since, createdBy, evaluated, diverged } = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    return getShadow(gate, OPERATOR, { projectId });
  });
  if (flags.json) {
    return printJson({ hash, policy: document, since, created_by: createdBy, evaluated, diverged });
  }
  process.stderr.write(`${hash}, since ${since}, by ${createdBy}: ${diverged} of ${evaluated} diverged\n`);
  printJson(document);
}

export async function divergences(flags: DivergenceFlags): Promise<void> {
  const { limit } = flags;
  const report = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    return readShadowDivergences(gate, OPERATOR, { projectId, limit });
  });
  if (flags.json) return printJson(toWireDivergences(report));
  const { groups, failures, divergences: page } = report;
  const { since, evaluated, diverged } = report.shadow;
  process.stdout.write(
    `Since ${since} the shadow was asked about ${counted(evaluated, 'intent')} and would have decided ${diverged.toLocaleString('en')} otherwise.\n`,
  );
  if (groups.length > 0) {
    process.stdout.write('\n');
    printTable(groups, columnsOfDifference, '');
  }
  for (const { rule, count } of failures) {
    process.stdout.write(`The condition of "${rule}" failed ${counted(count, 'time')}.\n`);
  }
  if (page.items.length === 0) return;
  process.stdout.write('\n');
  printTable(
    page.items,
    [
      { title: 'AT', text: ({ at }) => shortTime(at) },
      { title: 'INTENT', text: ({ intentId }) => intentId },
      { title: 'IN FORCE', text: ({ inForce }) => said(inForce), shrinks: true },
      { title: 'SHADOW', text: ({ shadow: other }) => said(other), shrinks: true },
      { title: 'IS', text: ({ direction }) => direction },
    ],
    '',
  );
}

export async function remove(flags: AdminFlags): Promise<void> {
  await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    await removeShadow(gate, OPERATOR, { projectId });
  });
  if (flags.json) return printJson({ removed: true });
  process.stdout.write('There is no shadow policy any more.\n');
}

/** Two steps, in this order: what happens between them leaves a shadow that says what is in force. */
export async function promote(flags: ShadowFlags): Promise<void> {
  const policy = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    const shadow = await getShadow(gate, OPERATOR, { projectId });
    if (flags.ifMatch !== undefined && flags.ifMatch !== shadow.hash) {
      throw new CommandFailure(1, `The shadow is ${shadow.hash} by now; nothing was put in force.`, {
        code: 'conflict',
      });
    }
    const put = await putPolicy(gate, OPERATOR, { projectId, document: shadow.document });
    await removeShadow(gate, OPERATOR, { projectId, ifMatch: shadow.hash }).catch((error: unknown) => {
      // Somebody set another one or ended it meanwhile: that one is theirs.
      if (!(error instanceof GateError) || !['precondition_failed', 'not_found'].includes(error.code))
        throw error;
    });
    return put.policy;
  });
  if (flags.json) return printJson({ version: policy.version, hash: policy.hash });
  process.stdout.write(`Version ${policy.version} is in force: ${policy.hash}\n`);
}

function ifMatchOf({ ifMatch }: ShadowFlags): { ifMatch?: string } {
  return ifMatch === undefined ? {} : { ifMatch };
}
