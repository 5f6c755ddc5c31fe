/**
 * A server made with the official SDK over stdio. Its tools require, allow or do not support the tasks of MCP
 * 2025-11-25.
 */
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const taskStore = new InMemoryTaskStore();
const server = new McpServer(
  { name: 'tasks', version: '1' },
  { capabilities: { tasks: { requests: { tools: { call: {} } } } }, taskStore },
);
const result = { content: [{ type: 'text' as const, text: 'done' }] };

for (const [name, taskSupport] of [
  ['plan', 'required'],
  ['draft', 'optional'],
] as const) {
  server.experimental.tasks.registerToolTask(
    name,
    { description: 'Takes long.', execution: { taskSupport } },
    {
      async createTask({ taskStore: store }) {
        const task = await store.createTask({ ttl: 60_000, pollInterval: 20 });
        await store.storeTaskResult(task.taskId, 'completed', result);
        return { task };
      },
      getTask: ({ taskId, taskStore: store }) => store.getTask(taskId),
      getTaskResult: ({ taskId, taskStore: store }) => store.getTaskResult(taskId) as Promise<typeof result>,
    },
  );
}
server.registerTool('read', { description: 'Reads at once.' }, () => result);
await server.connect(new StdioServerTransport());
