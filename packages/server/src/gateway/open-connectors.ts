/** Puts together what stands behind the gateway: the mock connectors, and whatever else is handed in. */
import type { Connectors } from '../gate/tools/connectors.ts';
import { mockConnectors } from './mock/mock-connectors.ts';

/**
 * The names of the mock connectors are taken: `upstream` is looked at after them.
 *
 * @example openConnectors({ upstream })
 */
export function openConnectors({ upstream }: { upstream?: Connectors } = {}): Connectors {
  if (!upstream) return mockConnectors;
  return {
    async list(gate, projectId) {
      const tools = [...(await mockConnectors.list()), ...(await upstream.list(gate, projectId))];
      return tools.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async find(gate, projectId, name) {
      return (await mockConnectors.find(gate, projectId, name)) ?? upstream.find(gate, projectId, name);
    },
    findOwnWork: mockConnectors.findOwnWork,
    async findOutage(gate, at, waitMs) {
      const isMock = (await mockConnectors.find(gate, at.projectId, at.tool.name)) !== undefined;
      return isMock ? undefined : upstream.findOutage?.(gate, at, waitMs);
    },
    run: (gate, call) => upstream.run(gate, call),
  };
}
