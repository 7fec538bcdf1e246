'use strict';

const Module = require('node:module');
const { replace } = require('./replace.cjs');

/** Known files of packages, by file name and by the end of their whole path. */
const files = {
  __proto__: null,
  'channel_model.js': { ends: ['/amqplib/lib/channel_model.js'], tag: tagChannels },
  'callback_model.js': { ends: ['/amqplib/lib/callback_model.js'], tag: tagChannels },
  'index.js': [
    { ends: ['/p-limit/index.js'], tag: jobs('tagLimit') },
    { ends: ['/p-queue/dist/index.js'], tag: jobs('tagQueue') },
  ],
  'queue.js': { ends: ['/fastq/queue.js'], tag: jobs('tagFastq') },
  'protocol.js': {
    ends: ['/nats/lib/nats-base-client/protocol.js', '/@nats-io/nats-core/lib/protocol.js'],
    tag: (exported, module, messages) => {
      const { headers } = module.require('./headers.js');
      const { QueuedIteratorImpl: Queue } = module.require('./queued_iterator.js');
      require('./messages/nats.cjs').tagNats(exported, { headers, Queue }, messages());
    },
  },
};

function jobs(name) {
  return (exported, module) => require('./context/job-queues.cjs')[name](exported, module);
}

function tagChannels(exported, _, messages) {
  require('./messages/amqp.cjs').tagAmqp(exported, messages());
}

/**
 * Every CommonJS file is compiled here, required or imported, in each copy that a process has. The
 * file name alone rules out nearly all of them.
 */
function tagPackages(settings) {
  const reported = settings.reports?.files;
  let made;
  const messages = () => {
    made ??= require('./messages/messages.cjs').createMessages(settings);
    return made;
  };
  // For `surety/queue`, which an application may load.
  Object.defineProperty(process, Symbol.for('surety.messages'), { value: messages });
  replace(
    Module.prototype,
    '_compile',
    (compile) =>
      function (content, filename, ...rest) {
        const result = Reflect.apply(compile, this, [content, filename, ...rest]);
        const name = filename.slice(filename.lastIndexOf('/') + 1);
        for (const file of [files[name] ?? [], reported?.[name] ?? []].flat()) {
          if (isOneOf(file, filename)) file.tag(this.exports, this, messages);
        }
        return result;
      },
  );
}

function isOneOf({ ends }, filename) {
  const path = filename.replaceAll('\\', '/');
  return ends.some((end) => path.endsWith(end));
}

module.exports = { tagPackages };
