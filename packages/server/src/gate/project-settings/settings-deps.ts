import type { CredentialReader } from '../access/credential.ts';
import type { SessionReader } from '../access/session.ts';
import type { AgentReader } from '../agents/agent.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Storage } from '../kernel/storage.ts';
import type { ProjectReader } from '../projects/project.ts';
import type { ProjectSettingsCache } from './project-settings.ts';

/** Dependencies of operations that use the settings of a project. */
export interface SettingsDeps {
  storage: Storage<AgentReader & CredentialReader & ProjectReader & SessionReader>;
  clock: Clock;
  projectSettings: ProjectSettingsCache;
}
