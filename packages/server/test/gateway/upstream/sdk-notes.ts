import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';

/** Two tools: one that answers, and tells how far it is when asked to; one that says that it failed. */
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
      // The official client lets go of progress that comes in one piece with the result.
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
