/** A real gate with an agent and an approver. A rule allows small amounts; `database.drop` is always denied. */
import { type Intent, type JsonObject, Permitry } from '../../src/index.ts';
import { type ServedGate, serveGate } from '../fixtures/serve-gate.ts';

export interface Stage {
  served: ServedGate;
  agent: Permitry;
  owner: Permitry;
  /** A client of a gate that does not exist. */
  away: Permitry;
  approve(intent: Intent): void;
  deny(reason: string): (intent: Intent) => void;
  /** Intents of one action, newest first. */
  intents(
    action: string,
  ): Promise<{ id: string; status: string; outcome: string | null; params: JsonObject }[]>;
}

export async function openStage(): Promise<Stage> {
  const served = await serveGate({
    rules: [
      { name: 'small', match: { action: '*' }, when: 'params.amount < 10.0', effect: 'allow' },
      { name: 'never', match: { action: 'database.drop' }, effect: 'deny', reason: 'Not by an agent.' },
    ],
  });
  const owner = new Permitry({ baseUrl: served.url, apiKey: served.first.secret_key });
  return {
    served,
    agent: new Permitry({ baseUrl: served.url, apiKey: served.first.agent_key }),
    owner,
    away: new Permitry({ baseUrl: 'http://127.0.0.1:2', apiKey: served.first.agent_key }),
    // An intent that was submitted twice may be approved already, so the refusal is ignored.
    approve: (intent) => void owner.intents.approve(intent.id).catch(() => undefined),
    deny: (reason) => (intent) => void owner.intents.deny(intent.id, { reason }),
    async intents(action) {
      const { data } = await owner.intents.list({ limit: 200 });
      return data.filter((intent) => intent.action === action);
    },
  };
}
