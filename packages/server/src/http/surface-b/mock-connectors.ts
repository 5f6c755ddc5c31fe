import { MockRecordListB, PresentedId, StrictObject } from '@permitry/protocol/schemas';
import { listMockRecords } from '../../gate/tools/list-mock-records.ts';
import { getCaller } from '../admission/request-context.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';

export function mockConnectorRoutes(app: GateApp, { gate }: RouteTools): void {
  app.get(
    '/projects/:id/mock-connectors/:connector',
    {
      schema: {
        operationId: 'listMockRecords',
        summary: 'List the calls of a mock connector',
        description:
          'Newest first. The connectors are mail, payments, database, deploy, files and iam; the list of any other name is empty.',
        tags: ['Surface B: project'],
        params: StrictObject({ id: PresentedId, connector: PresentedId }),
        querystring: StrictObject(PAGE_QUERY),
        response: { 200: MockRecordListB },
      },
    },
    async (request) => {
      const { id: projectId, connector } = request.params;
      const query = { projectId, connector, ...toPageRequest(request.query) };
      const page = await listMockRecords(gate, getCaller(request), query);
      return toWirePage(page, (record) => ({
        intent_id: record.id,
        tool: record.tool,
        arguments: record.arguments,
        at: record.at,
      }));
    },
  );
}
