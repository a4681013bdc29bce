import { Command as CommanderCommand } from 'commander';

/** A command, and the parts that several have in common. */
export class Command extends CommanderCommand {
  override createCommand(name?: string): Command {
    return new Command(name);
  }

  /** @param text an explanation and examples, behind the options. */
  helpAfter(text: string): this {
    return this.addHelpText('after', text);
  }

  jsonOption(): this {
    return this.option('--json', 'print one JSON document');
  }
}
