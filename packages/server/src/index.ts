/** What the command line, the demo and the benchmark may use of the server. */
export { type Config, ConfigError, readConfig } from './config.ts';
export type { OperatorCaller } from './gate/access/caller.ts';
export { exportAudit } from './gate/audit/export-audit.ts';
export { GateError } from './gate/errors.ts';
export { parsePolicy } from './gate/policy/policy.ts';
export { putPolicy } from './gate/policy/put-policy.ts';
export { createProject } from './gate/projects/create-project.ts';
export { listProjects } from './gate/projects/read-project.ts';
export { type FirstCredentials, initialiseGate } from './identity/initialise-gate.ts';
export { createKey } from './identity/keys/create-key.ts';
export { listKeys } from './identity/keys/list-keys.ts';
export { revokeKey } from './identity/keys/revoke-key.ts';
export { createUserToken } from './identity/keys/user-token.ts';
export { type OpenGate, openGate, type RunningServer, startServer } from './main.ts';
