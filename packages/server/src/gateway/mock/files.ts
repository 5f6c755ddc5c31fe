import { argumentsOf, mockTool } from './mock-tool.ts';

export const filesDelete = mockTool(
  {
    name: 'files.delete',
    title: 'Delete a file',
    description: 'Deletes a file, or a folder with all that is in it. A mock: no file is touched.',
    riskTier: 'medium',
    inputSchema: argumentsOf(
      {
        path: { type: 'string', minLength: 1, maxLength: 1000 },
        recursive: { type: 'boolean', description: 'Whether a folder is deleted with all that is in it.' },
      },
      ['path'],
    ),
  },
  ({ path = null, recursive = false }) => ({ result: { path, recursive, deleted: true } }),
);
