import type { Command } from 'commander';
import { examples } from '../command-options.ts';
import { addAuditExportCommand } from './audit-export.ts';
import { addAuditVerifyCommand } from './audit-verify.ts';

export function addAuditCommands(program: Command): void {
  const audit = program
    .command('audit')
    .summary('the audit log: export and verify')
    .description('The audit log: export it, and verify an export offline.')
    .addHelpText('after', examples('permitry audit export --out audit.jsonl'));
  addAuditExportCommand(audit);
  addAuditVerifyCommand(audit);
}
