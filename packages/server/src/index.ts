/**
 * What the command line, the demo and the benchmark may use of the server. The doors beside this one, listed in the
 * package's README, spare a command the time to load what it does not need.
 */
export {
  baseUrlFor,
  type Config,
  ConfigError,
  databaseOf,
  type RawSettings,
  readConfig,
} from './config.ts';
export type { OperatorCaller } from './gate/access/caller.ts';
export type { Agent } from './gate/agents/agent.ts';
export { pauseAgent, resumeAgent, revokeAgent } from './gate/agents/agent-status.ts';
export { listAgents } from './gate/agents/read-agents.ts';
export { registerAgent } from './gate/agents/register-agent.ts';
export { updateAgent } from './gate/agents/update-agent.ts';
export type { Group, Member } from './gate/approvals/people.ts';
export { exportAudit } from './gate/audit/export-audit.ts';
export { type AgedErasure, eraseAged } from './gate/erasure/erase-aged.ts';
export { eraseIntent } from './gate/erasure/erase-intent.ts';
export { erasePerson, type PersonErasure } from './gate/erasure/erase-person.ts';
export type { Erasure } from './gate/erasure/erasure.ts';
export { getRetention, setRetention } from './gate/erasure/retention.ts';
export { type FieldProblem, GateError } from './gate/kernel/errors.ts';
export type { Gate } from './gate/kernel/gate.ts';
export type { Page, PageRequest } from './gate/kernel/page.ts';
export { putPolicy } from './gate/policy-management/put-policy.ts';
export { getPolicy } from './gate/policy-management/read-policy.ts';
export { putShadow, removeShadow } from './gate/policy-management/shadow/put-shadow.ts';
export { getShadow, readShadowDivergences } from './gate/policy-management/shadow/read-shadow.ts';
export type { GivenIntent } from './gate/policy-management/simulation/given-intent.ts';
export type { PastIntentQuery } from './gate/policy-management/simulation/past-intent-query.ts';
export { simulatePolicy } from './gate/policy-management/simulation/simulate-policy.ts';
export { createProject } from './gate/projects/create-project.ts';
export type { PolicyVersion, Project } from './gate/projects/project.ts';
export { listProjects } from './gate/projects/read-project.ts';
export { setRateLimit } from './gate/projects/set-rate-limit.ts';
export { startProject, stopProject } from './gate/projects/stop-switch.ts';
export { listSignedBy, type SignedApproval } from './gate/signing-keys/list-signed-by.ts';
export { readGivenIntent } from './http/shared/to-given-intent.ts';
export { toWireDivergences } from './http/surface-b/to-wire-shadow.ts';
export { toWireSigned } from './http/surface-b/to-wire-signed.ts';
export {
  toWireLine,
  toWireOutcomes,
  toWireStart,
} from './http/surface-b/to-wire-simulation.ts';
export { listGroups } from './identity/groups/list-groups.ts';
export { removeGroup } from './identity/groups/remove-group.ts';
export { saveGroup } from './identity/groups/save-group.ts';
export { type FirstCredentials, initialiseGate } from './identity/initialise-gate.ts';
export { acceptInvitation } from './identity/invitations/accept-invitation.ts';
export { createInvitation } from './identity/invitations/create-invitation.ts';
export { createKey } from './identity/keys/create-key.ts';
export { listKeys } from './identity/keys/list-keys.ts';
export { listUserTokens } from './identity/keys/list-user-tokens.ts';
export type { KeyRecord } from './identity/keys/mint-key.ts';
export { revokeKey } from './identity/keys/revoke-key.ts';
export { createUserToken, revokeUserToken } from './identity/keys/user-token.ts';
export { addMember } from './identity/members/add-member.ts';
export { changeRole } from './identity/members/change-role.ts';
export { listMembers } from './identity/members/list-members.ts';
export { removeMember } from './identity/members/remove-member.ts';
export { makeResetLink } from './identity/recovery/password-reset.ts';
export {
  isSetUpNeeded,
  makeFirstSetUpLink,
  makeSetUpLink,
} from './identity/set-up/make-set-up-link.ts';
export { type OpenGate, type OpenGateOptions, openGate } from './open-gate.ts';
export { finishErasuresOf, listUnfinishedErasuresOf } from './operate-erasures.ts';
export { issuerFor, issuerOfDirectory } from './served-base-url.ts';
export { NextKeyTooYoungError } from './signing/next-key-too-young-error.ts';
export type { GateDatabase } from './storage/open-storage.ts';
export { OutdatedSchemaError } from './storage/outdated-schema-error.ts';
export { databaseFile } from './storage/sqlite/open-database.ts';
