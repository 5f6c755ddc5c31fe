import { argumentsOf, mockTool } from './mock-tool.ts';

export const iamGrantRole = mockTool(
  {
    name: 'iam.grant_role',
    title: 'Grant a role',
    description: 'Gives a person or a service a role. A mock: nobody gets anything.',
    riskTier: 'critical',
    inputSchema: argumentsOf(
      {
        subject: { type: 'string', minLength: 1, maxLength: 254, description: 'Who is given the role.' },
        role: { type: 'string', minLength: 1, maxLength: 100 },
        resource: { type: 'string', minLength: 1, maxLength: 200 },
      },
      ['subject', 'role'],
    ),
  },
  ({ subject = null, role = null, resource = null }) => ({
    result: { subject, role, resource, granted: true },
  }),
);
