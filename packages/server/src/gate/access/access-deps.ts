import type { Clock } from '../kernel/clock.ts';
import type { Storage } from '../kernel/storage.ts';
import type { ProjectReader } from '../projects/project.ts';
import type { CredentialReader } from './credential.ts';
import type { SessionReader } from './session.ts';

/** Dependencies of the look-up of a caller. */
export interface AccessDeps {
  storage: Storage<CredentialReader & ProjectReader & SessionReader>;
  clock: Clock;
}
