import { describe, expect, it } from 'vitest';
import { toReadableDefinition } from './readable-definition.ts';

const PLAIN = { name: 'read', inputSchema: { type: 'object', properties: { b: {}, a: {} } } };

describe('the readable text of a definition', () => {
  it('contains all of the definition, in a fixed order', () => {
    expect(toReadableDefinition({ ...PLAIN, description: 'One.\nTwo.' })).toBe(
      [
        'Title: none',
        'Description, 2 lines:',
        '  One.',
        '  Two.',
        '{',
        '  "inputSchema": {',
        '    "properties": {',
        '      "a": {},',
        '      "b": {}',
        '    },',
        '    "type": "object"',
        '  },',
        '  "name": "read"',
        '}',
      ].join('\n'),
    );
  });

  it('differs between any two different definitions', () => {
    const different = [
      PLAIN,
      { ...PLAIN, title: '' },
      { ...PLAIN, title: 'none' },
      { ...PLAIN, description: '' },
      { ...PLAIN, description: '\n' },
      { ...PLAIN, description: 'none' },
      { ...PLAIN, annotations: {} },
      { ...PLAIN, name: 'Read' },
    ];
    expect(new Set(different.map(toReadableDefinition)).size).toBe(different.length);
  });
});
