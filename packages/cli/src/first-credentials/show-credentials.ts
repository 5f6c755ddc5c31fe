import type { FirstCredentials } from '@permitry/server';
import { paint } from '../printing/say.ts';

/** The credentials for people to read. They are shown only once. */
export function showCredentials(credentials: FirstCredentials): string {
  const { project_id, mode, owner_email, agent_id, secret_key, agent_key, verifier_key } = credentials;
  return `${paint('bold', 'These keys are shown only once. Save them now.')}

project       ${project_id} (${mode} mode, owner ${owner_email})
agent         ${agent_id}
agent key     ${agent_key}
secret key    ${secret_key}
verifier key  ${verifier_key}

${partsToPlay(credentials)}`;
}

/** The credentials of a first project, above shell lines that contain the keys. */
export function showFirstProject(credentials: FirstCredentials, location: string): string {
  const { project_id, mode, owner_email, agent_id } = credentials;
  return `Created a first project in ${location}, in ${mode} mode.
${paint('bold', 'The keys below are shown only once. Save them now.')}

project  ${project_id} (owner ${owner_email})
agent    ${agent_id}

${partsToPlay(credentials)}`;
}

function partsToPlay({ mode }: FirstCredentials): string {
  return `The agent key sends requests and collects permits. The verifier key verifies
permits before an action runs. The secret key ${
    mode === 'live'
      ? `denies and stops. In live mode
people approve, signed in. Keys, people and policy are managed in the dashboard, or
with this command on this machine`
      : 'decides and manages'
  }.
`;
}
