/** Combines the connectors behind the gateway: the mock connectors and, if given, MCP servers. */
import type { Connectors } from '../gate/tools/connectors.ts';
import { mockConnectors } from './mock/mock-connectors.ts';

/**
 * A mock connector takes precedence over an upstream connector with the same name.
 *
 * @example openConnectors({ upstream })
 */
export function openConnectors({ upstream }: { upstream?: Connectors } = {}): Connectors {
  if (!upstream) return mockConnectors;
  return {
    async list(projectId) {
      const tools = [...(await mockConnectors.list()), ...(await upstream.list(projectId))];
      return tools.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async find(projectId, name) {
      return (await mockConnectors.find(projectId, name)) ?? upstream.find(projectId, name);
    },
    findOwnWork: mockConnectors.findOwnWork,
    async findOutage(at, waitMs) {
      const isMock = (await mockConnectors.find(at.projectId, at.tool.name)) !== undefined;
      return isMock ? undefined : upstream.findOutage?.(at, waitMs);
    },
    run: (call) => upstream.run(call),
  };
}
