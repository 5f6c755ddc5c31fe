/** Tells the operator about a gate that is back at an older state, however it got there. */
import type { Config } from '@permitry/server';
import type { Adopted, Restored } from '@permitry/server/ops';
import { usage } from '../command-failure.ts';
import { flagOfGate } from '../open-gate.ts';
import { counted } from '../printing/say.ts';

export function assertKeysDecided(flags: { revokeKeys?: true; keepKeys?: true }): void {
  if (flags.revokeKeys || flags.keepKeys) return;
  throw usage(
    'Keys that were revoked since then would be alive again: say --revoke-keys to end all API keys and user ' +
      'tokens, or --keep-keys to keep them and look through them yourself.',
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
        `  "${name}" is stopped; ${counted(approvalsRevoked, 'unused approval')} taken back; ${counted(pending, 'intent')} pending\n`,
    )
    .join('');
  const keys =
    keysRevoked > 0
      ? `Ended ${counted(keysRevoked, 'key')}; make new ones with: permitry keys create ${flag}\n`
      : `API keys are as they were then: look through permitry keys list ${flag}\n`;
  const signing =
    manifest?.private_keys === 'left_out'
      ? 'The backup held no private signing keys: a new one signs from now on.\n'
      : '';
  return `${done}${keys}${signing}Agents, people and policies are as they were then, too. When you have looked at them, and the
lost gate cannot come back: permitry project start ${flag}
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
