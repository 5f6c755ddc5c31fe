import { WaitingProposals } from '@permitry/protocol/schemas';
import { listProposalsWaitingFor } from '../../gate/policy-management/proposals/list-waiting-proposals.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';

/**
 * Lists the policy changes that need this person's approval under the two-person rule. The published routes read,
 * approve and reject them.
 */
export function waitingProposalRoutes(app: GateApp, { gate }: ConsoleTools): void {
  app.get('/policy-proposals', { schema: { response: { 200: WaitingProposals } } }, async (request) => {
    const waiting = await listProposalsWaitingFor(gate, getPerson(request));
    return {
      data: waiting.map(({ id, projectId, change, createdAt }) => ({
        id,
        project_id: projectId,
        change,
        created_at: createdAt,
      })),
    };
  });
}
