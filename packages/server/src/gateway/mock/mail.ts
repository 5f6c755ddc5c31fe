import { argumentsOf, mockTool } from './mock-tool.ts';

export const mailSend = mockTool(
  {
    name: 'mail.send',
    title: 'Send a mail',
    description: 'Sends a mail. A mock: it is kept where one can look at it, and goes nowhere.',
    riskTier: 'low',
    inputSchema: argumentsOf(
      {
        to: { type: 'string', minLength: 3, maxLength: 254, description: 'Address of the recipient.' },
        subject: { type: 'string', minLength: 1, maxLength: 200 },
        text: { type: 'string', maxLength: 50_000 },
      },
      ['to', 'subject', 'text'],
    ),
  },
  ({ to = null }, id) => ({ result: { message_id: `<${id}@mail.mock>`, accepted: [to] } }),
);
