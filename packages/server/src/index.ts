/**
 * The parts of the server that the command line, the demo and the benchmark may use. The other entry points, listed in
 * the package's README, load less, so that a command starts faster.
 */

export { finishErasuresOf, listUnfinishedErasuresOf } from './administration/operate-erasures.ts';
export { issuerFor, issuerOfDirectory } from './administration/served-base-url.ts';
export { baseUrlFor, type Config, ConfigError, databaseOf, type RawSettings, readConfig } from './config.ts';
export type { OperatorCaller } from './gate/access/caller.ts';
export type { Agent } from './gate/agents/agent.ts';
export { registerAgent } from './gate/agents/register-agent.ts';
export type { Member } from './gate/approvals/people.ts';
export { exportAudit } from './gate/audit/export-audit.ts';
export { eraseAged } from './gate/erasure/erase-aged.ts';
export { eraseIntent } from './gate/erasure/erase-intent.ts';
export { type FieldProblem, GateError } from './gate/kernel/errors.ts';
export type { Page, PageRequest } from './gate/kernel/page.ts';
export { putPolicy } from './gate/policy-management/put-policy.ts';
export type { GivenIntent } from './gate/policy-management/simulation/given-intent.ts';
export type { PastIntentQuery } from './gate/policy-management/simulation/past-intent-query.ts';
export { simulatePolicy } from './gate/policy-management/simulation/simulate-policy.ts';
export { createProject } from './gate/projects/create-project.ts';
export type { Project } from './gate/projects/project.ts';
export { listProjects } from './gate/projects/read-project.ts';
export { setRateLimit } from './gate/projects/set-rate-limit.ts';
export { toWireLine, toWireOutcomes, toWireStart } from './http/surface-b/to-wire-simulation.ts';
export { readGivenIntent } from './http/wire/to-given-intent.ts';
export { NextKeyTooYoungError } from './keys/next-key-too-young-error.ts';
export type { GateParts } from './open-gate.ts';
export { type OpenGate, type OpenGateOptions, openGate } from './open-gate.ts';
export { erasePerson } from './people/erase-person.ts';
export { type FirstCredentials, initialiseGate } from './people/initialise-gate.ts';
export { acceptInvitation } from './people/invitations/accept-invitation.ts';
export { createInvitation } from './people/invitations/create-invitation.ts';
export { createKey } from './people/keys/create-key.ts';
export { listUserTokens } from './people/keys/list-user-tokens.ts';
export type { KeyRecord } from './people/keys/mint-key.ts';
export { createUserToken, revokeUserToken } from './people/keys/user-token.ts';
export { addMember } from './people/members/add-member.ts';
export { changeRole } from './people/members/change-role.ts';
export { makeResetLink } from './people/recovery/password-reset.ts';
export { isSetUpNeeded, makeFirstSetUpLink, makeSetUpLink } from './people/set-up/make-set-up-link.ts';
export type { GateDatabase } from './storage/open-storage.ts';
export { OutdatedSchemaError } from './storage/outdated-schema-error.ts';
export { databaseFile } from './storage/sqlite/open-database.ts';
