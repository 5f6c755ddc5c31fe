/** Tells the operator that the gate is back at an older state, restored by this program or by another tool. */
import type { Config } from '@permitry/server';
import type { Adopted, Restored } from '@permitry/server/ops';
import { usage } from '../command-failure.ts';
import { flagOfGate } from '../open-gate.ts';
import { counted } from '../printing/say.ts';

export function assertKeysDecided(flags: { revokeKeys?: true; keepKeys?: true }): void {
  if (flags.revokeKeys || flags.keepKeys) return;
  throw usage(
    'Keys that were revoked since then would work again. Pass --revoke-keys to revoke all API keys and access ' +
      'tokens, or --keep-keys to keep them and review them yourself.',
  );
}

export function tellRestored(
  { restored, keysRevoked, manifest }: Omit<Adopted, 'copiedAt'> & { manifest?: Restored['manifest'] },
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
): string {
  const flag = flagOfGate(config);
  const done = restored
    .map(
      ({ name, approvalsRevoked, pending }) =>
        `  "${name}" is stopped; ${counted(approvalsRevoked, 'unused approval')} revoked; ${counted(pending, 'request')} pending\n`,
    )
    .join('');
  const keys =
    keysRevoked > 0
      ? `Revoked ${counted(keysRevoked, 'key')}. Create new ones with: permitry keys create ${flag}\n`
      : `API keys are as they were then. Review them with: permitry keys list ${flag}\n`;
  const signing =
    manifest?.private_keys === 'left_out'
      ? 'The backup held no private signing keys, so a new key signs from now on.\n'
      : '';
  return `${done}${keys}${signing}Agents, people and policies are also as they were then. Review them, and make sure that the lost
gate cannot come back. Then run: permitry project start ${flag}
`;
}

export function adoptedToJson({ copiedAt, restored, keysRevoked }: Adopted): object {
  return {
    created_at: copiedAt,
    keys_revoked: keysRevoked,
    projects: restored.map(({ projectId, name, approvalsRevoked, pending }) => ({
      id: projectId,
      name,
      stopped: true,
      approvals_revoked: approvalsRevoked,
      pending,
    })),
  };
}
