/** Everyone whom the tests need. The operator creates them in an empty data directory, before any gate serves it. */
import {
  addMember,
  createKey,
  createProject,
  createUserToken,
  databaseOf,
  initialiseGate,
  type OperatorCaller,
  openGate,
  putPolicy,
  readConfig,
} from '@permitry/server';
import { BASE_URL } from './gate-process.ts';

const OPERATOR: OperatorCaller = { kind: 'operator', credentialId: 'operator', display: 'operator' };

export interface Approver {
  email: string;
  /** May decide. */
  token: string;
}

export interface Cast {
  projectId: string;
  agentKey: string;
  secretKey: string;
  verifierKey: string;
  approvers: readonly Approver[];
  /** A project that is stopped and started while the first project works. */
  other: { projectId: string; secretKey: string };
}

/** A policy that decides by rule. The rule about probes differs between versions, and no request is a probe. */
export function policyOf(version: string): object {
  return {
    name: `policy ${version}`,
    default: { approvers: ['role:approver'], min_approvals: 1 },
    rules: [
      { name: 'small things', match: { action: 'auto.*' }, effect: 'allow' },
      { name: 'never', match: { action: 'never.*' }, effect: 'deny', reason: 'Not by an agent.' },
      { name: 'probes', match: { action: 'probe.*' }, when: `params.n == '${version}'`, effect: 'deny' },
    ],
  };
}

/**
 * In test mode, so that one secret key may do everything over HTTP.
 *
 * @param dataDir null: the settings name a database
 */
export async function makeCast(dataDir: string | null, env: NodeJS.ProcessEnv = {}): Promise<Cast> {
  const config = readConfig(env, dataDir === null ? {} : { PERMITRY_DATA: dataDir });
  const opened = await openGate({
    database: databaseOf(config),
    signingKeys: config.signingKeys,
    issuer: BASE_URL,
  });
  const { gate } = opened;
  try {
    const first = await initialiseGate(
      gate,
      { mode: 'test', projectName: 'First', ownerEmail: 'owner@example.org' },
      OPERATOR,
    );
    const projectId = first.project_id;
    const approvers: Approver[] = [];
    for (const email of ['ann@example.org', 'ben@example.org', 'cem@example.org']) {
      await addMember(gate, OPERATOR, { projectId, email, role: 'approver' });
      const { key } = await createUserToken(gate, OPERATOR, { name: email, email, rights: ['decide'] });
      approvers.push({ email, token: key });
    }
    await putPolicy(gate, OPERATOR, { projectId, document: { ...policyOf('0') } });
    const ownerEmail = 'owner@example.org';
    const { project } = await createProject(gate, OPERATOR, { name: 'Other', mode: 'test', ownerEmail });
    const other = await createKey(gate, OPERATOR, {
      projectId: project.id,
      kind: 'secret',
      name: 'other',
      ownerEmail,
    });
    return {
      projectId,
      agentKey: first.agent_key,
      secretKey: first.secret_key,
      verifierKey: first.verifier_key,
      approvers,
      other: { projectId: project.id, secretKey: other.key },
    };
  } finally {
    await opened.close();
  }
}
