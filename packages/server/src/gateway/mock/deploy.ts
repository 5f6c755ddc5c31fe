import { argumentsOf, mockTool } from './mock-tool.ts';

export const deployProduction = mockTool(
  {
    name: 'deploy.production',
    title: 'Deploy to production',
    description: 'Puts a version of a service into production. A mock: nothing is deployed.',
    riskTier: 'high',
    inputSchema: argumentsOf(
      {
        service: { type: 'string', minLength: 1, maxLength: 100 },
        version: { type: 'string', minLength: 1, maxLength: 100 },
      },
      ['service', 'version'],
    ),
  },
  ({ service = null, version = null }, id) => ({
    result: { deployment_id: `dep_${id}`, service, version, status: 'live' },
  }),
);
