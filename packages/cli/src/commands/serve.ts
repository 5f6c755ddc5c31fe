import type { Command } from 'commander';
import { databaseOption, dataOption, examples } from '../command-options.ts';
import type { ServeFlags } from '../serving/serve.ts';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .summary('start the gate')
    .description(
      'Start the gate. In an empty data directory or database, it creates a first project in test mode. Its keys and a set-up link are shown once on a terminal; without a terminal, they are written to DATA/credentials.json (mode 0600).',
    )
    .addOption(dataOption())
    .addOption(databaseOption())
    .option('--port <n>', 'port to listen on; 0 takes any free port (env: PERMITRY_PORT; default: 8787)')
    .option('--host <h>', 'address to listen on (env: PERMITRY_HOST; default: 127.0.0.1)')
    .option('--base-url <url>', 'the address that people and agents use (env: PERMITRY_BASE_URL)')
    .option(
      '--rate-limit <n>',
      'API requests per minute and project; 0 for no limit (env: PERMITRY_RATE_LIMIT_PER_MINUTE)',
    )
    .option(
      '--log-level <level>',
      'fatal, error, warn, info, debug, trace or silent (env: PERMITRY_LOG_LEVEL)',
    )
    .option('--trust-proxy <whom>', 'proxies whose X-Forwarded-For is trusted (env: PERMITRY_TRUST_PROXY)')
    .option(
      '--retention-days <n>',
      'erase texts about people after this many days; 0 for never (env: PERMITRY_RETENTION_DAYS)',
    )
    .option('--metrics-port <n>', 'separate port for /metrics (env: PERMITRY_METRICS_PORT)')
    .option(
      '--check',
      'only check settings, database, keys, clock and disk; changes nothing, and works while a gate runs',
    )
    .option('--json', 'print the address as one line of JSON on stdout')
    .addHelpText(
      'after',
      examples(
        'permitry serve',
        'permitry serve --data /var/lib/permitry --base-url https://gate.example.org',
        'permitry serve --data /var/lib/permitry --check',
      ),
    )
    .action(serve);
}

async function serve({ check, ...flags }: ServeFlags & { check?: true }): Promise<void> {
  if (check) return (await import('../serving/check-serving.ts')).checkServing(flags);
  return (await import('../serving/serve.ts')).serve(flags);
}
