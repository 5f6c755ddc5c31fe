import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { permitry } from './fixtures/permitry.ts';

const scriptFor = async (shell: string) => (await permitry(['completion', shell])).stdout;

/** The words that bash offers for this line, whose last word is incomplete. */
function offered(script: string, ...words: string[]): string[] {
  const ask = `${script}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _permitry; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['--norc', '-c', ask, 'bash', 'permitry', ...words], { encoding: 'utf8' });
  return out.split('\n').filter(Boolean);
}

describe('permitry completion', () => {
  test('offers commands, flags and their values in bash', async () => {
    const script = await scriptFor('bash');
    expect(offered(script, 'appr')).toEqual(['approve']);
    expect(offered(script, 'keys', 'cr')).toEqual(['create']);
    expect(offered(script, 'keys', 'create', '--k')).toEqual(['--kind']);
    expect(offered(script, 'keys', 'create', '--kind', 'se')).toEqual(['secret']);
    expect(offered(script, 'policy', 'shadow', 's')).toEqual(['set', 'show']);
    expect(offered(script, 'inbox', '--url', '')).toEqual([]);
    expect(offered(script, 'run', '--', 'x')).toEqual([]);
    expect(offered(script, 'status', '--j')).toEqual(['--json']);
  });

  test.each(['bash', 'zsh', 'fish'])(
    'prints a script that %s can read, if it is installed',
    async (shell) => {
      const script = await scriptFor(shell);
      expect(script).toContain('promote-shadow');
      const { error, status, stderr } = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' });
      if (error === undefined) expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
  );

  test('refuses an unknown shell', async () => {
    expect(await permitry(['completion', 'tcsh'])).toMatchObject({ code: 2, stdout: '' });
  });
});
