import { useState } from 'react';
import { api, newIdempotencyKey } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { useForm } from '../../../api/use-form.ts';
import { Card } from '../../../ui/card.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { NewKey } from '../keys/new-key.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { useProject } from '../project-frame/queries.ts';
import type { Agent, MadeKey } from '../project-frame/wire.ts';
import { AgentForm, NEW_AGENT, toProfile } from './agent-form.tsx';
import * as words from './agents.words.ts';
import { FirstRequest } from './first-request.tsx';

/**
 * Registers an agent in three steps: its name, its key with a snippet to paste, and its first request as it arrives.
 */
export default function RegisterPage() {
  const { projectId, mayManage, path } = useProject();
  const [agent, setAgent] = useState<Agent | null>(null);
  const [isKept, setKept] = useState(false);
  const form = useForm(NEW_AGENT, async (draft) => {
    const { framework, ...profile } = toProfile(draft);
    const body = { ...profile, ...(framework !== null && { framework }) };
    const once = () => ({ idempotencyKey: newIdempotencyKey() });
    try {
      // If creating the key failed, the next attempt finds the agent already registered.
      const registered = agent ?? (await api.post<Agent>(path('/agents'), body, once()));
      setAgent(registered);
      const name = words.keyName(registered.name).slice(0, 100);
      const wanted = { kind: 'agent', name, agent_id: registered.id };
      return { agent: registered, key: await api.post<MadeKey>(path('/keys'), wanted, once()) };
    } finally {
      await renew(['projects', projectId]);
    }
  });
  const made = form.answer;
  return (
    <ProjectPage
      title={made ? words.registration.keyStep : words.register}
      width="narrow"
      back={{ to: `/projects/${projectId}/agents`, label: words.title }}
    >
      {!mayManage && <Notice tone="warn">{words.registration.notAllowed}</Notice>}
      {mayManage && !made && (
        <Card>
          <AgentForm
            form={form}
            isFolded
            submitLabel={agent ? words.registration.createKey : words.register}
          />
        </Card>
      )}
      {made && !isKept && (
        <Card>
          <NewKey made={made.key} doneLabel={words.registration.done} onDone={() => setKept(true)} />
        </Card>
      )}
      {made && <FirstRequest agent={made.agent} />}
    </ProjectPage>
  );
}
