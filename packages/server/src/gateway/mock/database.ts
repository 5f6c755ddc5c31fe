import { argumentsOf, mockTool } from './mock-tool.ts';

export const databaseDeleteRows = mockTool(
  {
    name: 'database.delete_rows',
    title: 'Delete rows of a table',
    description: 'Deletes rows by their ids. A mock: there is no such table.',
    riskTier: 'critical',
    inputSchema: argumentsOf(
      {
        table: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,62}$' },
        ids: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 100 },
          minItems: 1,
          maxItems: 1000,
        },
      },
      ['table', 'ids'],
    ),
  },
  ({ table = null, ids }) => ({ result: { table, deleted: Array.isArray(ids) ? ids.length : 0 } }),
);
