import { RetentionSchema, SetRetention } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { Caller } from '../../gate/access/caller.ts';
import { getRetention, setRetention } from '../../gate/erasure/retention.ts';
import type { GateParts } from '../../open-gate.ts';
import { getCaller } from '../admission/request-context.ts';
import { ItemPath } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';

const TAGS = ['Surface B: project'];

export function retentionRoutes(app: GateApp, { gate }: RouteTools): void {
  app.get(
    '/projects/:id/retention',
    {
      schema: {
        operationId: 'readRetention',
        summary: 'Read for how many days personal texts are kept',
        tags: TAGS,
        params: ItemPath,
        response: { 200: RetentionSchema },
      },
    },
    async (request) => readRetention(gate, getCaller(request), request.params.id),
  );

  app.put(
    '/projects/:id/retention',
    {
      schema: {
        operationId: 'setRetention',
        summary: 'Set for how many days personal texts are kept',
        description:
          'Owners only; in live mode the owner must be present in a browser. Older texts are erased within the hour and cannot be restored. Hashes stay, so permits, receipts and the audit chain verify as before.',
        tags: TAGS,
        params: ItemPath,
        body: SetRetention,
        response: { 200: RetentionSchema },
      },
    },
    async (request) => {
      const projectId = request.params.id;
      await setRetention(gate, getCaller(request), { projectId, days: request.body.days });
      return readRetention(gate, getCaller(request), projectId);
    },
  );
}

async function readRetention(
  gate: GateParts,
  caller: Caller,
  projectId: string,
): Promise<Static<typeof RetentionSchema>> {
  const days = await getRetention(gate, caller, { projectId });
  return { days, gate_days: gate.retentionDays, days_in_force: days ?? gate.retentionDays };
}
