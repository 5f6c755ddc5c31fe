import { getPolicy, putPolicy } from '@permitry/server';
import type { AdminFlags } from '../command-options.ts';
import { findProject } from '../find-project.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { printFindings } from '../policy-file/print-findings.ts';
import { readCheckedPolicy } from '../policy-file/read-checked-policy.ts';
import { printJson } from '../printing/print-json.ts';

export type PutFlags = AdminFlags & { ifMatch?: string };

export async function put(file: string, flags: PutFlags): Promise<void> {
  const read = await readCheckedPolicy(file, flags);
  if (read === null) return;
  const { policy, warnings } = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    return putPolicy(gate, OPERATOR, {
      projectId,
      document: read.document,
      ...(flags.ifMatch === undefined ? {} : { ifMatch: flags.ifMatch }),
    });
  });
  const located = warnings.map(({ path, message }) => read.locate(path, message));
  if (flags.json)
    return printJson({
      version: policy.version,
      hash: policy.hash,
      created_at: policy.createdAt,
      warnings: located,
    });
  printFindings(file, [], located);
  process.stdout.write(`Version ${policy.version} is in force: ${policy.hash}\n`);
}

export async function show(flags: AdminFlags): Promise<void> {
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
