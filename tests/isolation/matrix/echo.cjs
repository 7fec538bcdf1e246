'use strict';

process.on('message', (message) => process.send(message));
process.on('disconnect', () => process.exit(0));
