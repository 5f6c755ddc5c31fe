import type { Command } from 'commander';
import { addAuditExportCommand } from './audit-export.ts';
import { addAuditVerifyCommand } from './audit-verify.ts';

export function addAuditCommands(program: Command): void {
  const audit = program
    .command('audit')
    .summary('the audit log: export and verify')
    .description('The audit log: export it, and verify an export offline.');
  addAuditExportCommand(audit);
  addAuditVerifyCommand(audit);
}
