import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';

/** Two tools: one that answers and reports progress on request, and one that reports a failure. */
export function registerNotes(server: McpServer): McpServer {
  const inputSchema = fromJsonSchema<{ note: string }>({
    type: 'object',
    properties: { note: { type: 'string' } },
    required: ['note'],
  });
  server.registerTool('read', { description: 'Reads a note.', inputSchema }, async ({ note }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken !== undefined) {
      const params = { progressToken, progress: 1, total: 2, message: 'opened it' };
      await mcpReq.notify({ method: 'notifications/progress', params });
      // The official client drops progress that arrives together with the result.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { content: [{ type: 'text', text: `note ${note}` }], structuredContent: { note } };
  });
  server.registerTool('lose', { description: 'Loses a note.', inputSchema }, () => ({
    content: [{ type: 'text', text: 'it is locked' }],
    isError: true,
  }));
  return server;
}
