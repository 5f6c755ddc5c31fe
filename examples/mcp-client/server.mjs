/** Any MCP server, which knows nothing about approvals. */
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const server = new McpServer({ name: 'payments', version: '1.0.0' });
server.registerTool(
  'refund',
  { description: 'Refunds an order.', inputSchema: z.object({ order: z.string(), amount: z.number() }) },
  async ({ order, amount }) => ({ content: [{ type: 'text', text: `Refunded ${amount} for ${order}.` }] }),
);
server.registerTool('rates', { description: 'Today’s rates.', inputSchema: z.object({}) }, async () => ({
  content: [{ type: 'text', text: 'EUR 1.00' }],
}));
await server.connect(new StdioServerTransport());
