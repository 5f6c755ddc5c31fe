import type { FirstCredentials } from '@permitry/server';
import { paint } from '../printing/paint.ts';

/** The credentials for people to read, this once. */
export function showCredentials(credentials: FirstCredentials): string {
  const { project_id, mode, owner_email, agent_id, secret_key, agent_key, verifier_key } = credentials;
  return `${paint('bold', 'These keys are shown this once; keep them now.')}

project       ${project_id} (${mode} mode, owner ${owner_email})
agent         ${agent_id}
agent key     ${agent_key}
secret key    ${secret_key}
verifier key  ${verifier_key}

${partsToPlay(credentials)}`;
}

/** The same above shell lines that hold the keys themselves. */
export function showFirstProject(credentials: FirstCredentials): string {
  const { project_id, mode, owner_email, agent_id } = credentials;
  return `${paint('bold', 'The keys below are shown this once; keep them now.')}

project  ${project_id} (${mode} mode, owner ${owner_email})
agent    ${agent_id}

${partsToPlay(credentials)}`;
}

function partsToPlay({ mode }: FirstCredentials): string {
  return `The agent key asks and collects permits, the verifier key checks permits
before an action runs, the secret key decides${
    mode === 'live'
      ? `. In live mode keys, people and
policy are managed with this command or a user token`
      : ' and manages'
  }.
`;
}
